import { mergeConfig } from 'vitest/config'
import shared from '../../vitest.shared.ts'

// Pages start servers and compilers. More than two at a time would only compete for the CPUs.
export default mergeConfig(shared, { test: { maxConcurrency: 2 } })
