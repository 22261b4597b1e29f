import { mergeConfig } from 'vitest/config'
import shared from '../../vitest.shared.ts'

// This package's tests take as long as those of all other packages combined. A second worker uses the CPU that is idle
// after the other packages have finished.
export default mergeConfig(shared, { test: { maxWorkers: 2 } })
