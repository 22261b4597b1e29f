import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { PAGES } from '../site/pages.ts'
import type { Source, SourcePage } from './repository-page.ts'

/** Repository root. */
export const ROOT: URL = new URL('../../../../', import.meta.url)

/** Returns the Markdown files that pages show, by their path relative to the repository root. */
export function readSources(): ReadonlyMap<string, Source> {
  const files = new Set(PAGES.map(({ file }) => file).filter((file) => file !== undefined))
  const sources = Array.from(files, (file) =>
    sourceOf(
      file,
      PAGES.filter((page) => page.file === file),
    ),
  )
  return new Map([...sources, ...errorSources()].map((source) => [source.file, source]))
}

/** Returns the pages of the error catalog, one for each code: `/errors/FW_INVALID_OPTION/`. */
export function errorSources(): Source[] {
  const files = globSync('docs/errors/*.md', { cwd: ROOT }).toSorted()
  return files.map((file) => sourceOf(file, [{ path: `errors/${basename(file, '.md')}` }]))
}

function sourceOf(file: string, pages: readonly SourcePage[]): Source {
  return { file, markdown: readFileSync(new URL(file, ROOT), 'utf8'), pages }
}
