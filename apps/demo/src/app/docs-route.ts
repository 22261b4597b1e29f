import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Router } from '@fw/core'

const README = fileURLToPath(new URL('../../../../README.md', import.meta.url))

/**
 * Registers the documentation route, so that the page can link to it without waiting for the feed.
 *
 * @param docsUrl URL of the documentation site; `undefined` to show the repository's README
 */
export function registerDocsRoute(app: Router, docsUrl: string | undefined): void {
  app.get('/docs', async (ctx) => {
    if (docsUrl === undefined) ctx.text(await readFile(README, 'utf8'))
    else ctx.redirect(docsUrl)
  })
}
