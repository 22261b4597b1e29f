export { compress } from './compress.ts'
export type { Coding, CompressOptions } from './options.ts'
