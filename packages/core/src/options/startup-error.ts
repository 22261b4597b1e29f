import type { FwErrorCode } from '@fw/options'

/** Reports that the server cannot start as configured. The message is one line that names the cause and the fix. */
export class StartupError extends Error {
  /** Always `StartupError`. */
  override readonly name = 'StartupError'
  /** One of `FwErrorCode`, such as `FW_ADDRESS_IN_USE`. */
  declare readonly code: FwErrorCode
}
