import { extendRouter } from '@fw/core'
import type { Router } from '@fw/types'
import type { StaticFilesOptions } from './options.ts'
import { staticFiles } from './static-files.ts'

declare module '@fw/types' {
  interface RouterExtensions {
    /** Serves the files of `directory` under `urlPrefix`. Calls `staticFiles()` from `@fw/static`. */
    staticFiles(urlPrefix: string, directory: string | URL, options?: StaticFilesOptions): this
  }
}

extendRouter('staticFiles', '@fw/static', method)

function method(this: Router, urlPrefix: string, directory: string | URL, options?: StaticFilesOptions): Router {
  staticFiles(this, urlPrefix, directory, options)
  return this
}
