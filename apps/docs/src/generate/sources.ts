import { readFileSync } from 'node:fs'
import { PAGES } from '../site/pages.ts'
import type { Source } from './repository-page.ts'

/** Root of the repository. */
export const ROOT: URL = new URL('../../../../', import.meta.url)

/** Returns the Markdown files that pages show, by their path from the root of the repository. */
export function readSources(): ReadonlyMap<string, Source> {
  const files = new Set(PAGES.map(({ file }) => file).filter((file) => file !== undefined))
  return new Map(
    Array.from(files, (file) => {
      const markdown = readFileSync(new URL(file, ROOT), 'utf8')
      return [file, { file, markdown, pages: PAGES.filter((page) => page.file === file) }]
    }),
  )
}
