import type { FwErrorCode } from '@fw/options'

/** Reports that the server cannot start as configured. The one-line message states the cause and the fix. */
export class StartupError extends Error {
  /** Always `StartupError`. */
  override readonly name = 'StartupError'
  /** One of `FwErrorCode`, such as `FW_ADDRESS_IN_USE`. */
  declare readonly code: FwErrorCode
}
