export { DEFAULT_LIMITS, type Limits } from './limits.ts'
