import { mergeConfig } from 'vitest/config'
import shared from '../../vitest.shared.ts'

// The tests of this package take as long as all others. A second worker uses the CPU that is idle after the others have ended.
export default mergeConfig(shared, { test: { maxWorkers: 2 } })
