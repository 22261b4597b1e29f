import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { headingsOf } from './markdown.ts'
import type { Body } from './repository-page.ts'
import { ROOT } from './sources.ts'

/** Folder of the error catalog: one Markdown file for each code, such as `FW_PORT_IN_USE.md`, titled by a heading. */
const FOLDER = new URL('docs/errors/', ROOT)

/** Returns the page `errors/CODE` of each error in the catalog. */
export function errorPages(): ReadonlyMap<string, Body> {
  if (!existsSync(FOLDER)) return new Map()
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.md') && name !== 'README.md')
  return new Map(names.map((name) => [`errors/${name.slice(0, -'.md'.length)}`, errorPage(name)]))
}

function errorPage(name: string): Body {
  const markdown = readFileSync(new URL(name, FOLDER), 'utf8')
  const title = headingsOf(markdown)[0]?.text ?? name.slice(0, -'.md'.length)
  return {
    title,
    description: `Explains the error ${title} and how to fix it.`,
    markdown: markdown.replace(/^# .*\n/, ''),
  }
}
