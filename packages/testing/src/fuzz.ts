export { cut, mutate, randomBytes } from './fuzz/inputs.ts'
export { Random } from './fuzz/random.ts'
export type { FuzzTarget } from './fuzz/target.ts'
