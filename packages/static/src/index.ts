export type { StaticFilesOptions } from './options.ts'
export { sendFile, type SendFileOptions } from './send-file.ts'
export { staticFiles } from './static-files.ts'
