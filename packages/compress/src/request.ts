export { decompress } from './request/decompress.ts'
export type { DecompressOptions, RequestCoding } from './request/decompress-options.ts'
