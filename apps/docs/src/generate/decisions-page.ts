import { readFileSync } from 'node:fs'
import type { Body } from './repository-page.ts'
import { REPOSITORY_URL } from '../site/pages.ts'
import { ROOT } from './sources.ts'

const FOLDER = 'docs/decisions'

/** Returns the list of decision notes by subject. Notes are not pages of the site, so the list links to the repository. */
export function decisionsPage(): Body {
  const readme = readFileSync(new URL(`${FOLDER}/README.md`, ROOT), 'utf8')
  const list = readme.slice(readme.indexOf('## '))
  const markdown = list.replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, (_, text: string, file: string) =>
    REPOSITORY_URL === undefined ? text : `[${text}](${REPOSITORY_URL}/blob/main/${FOLDER}/${file})`,
  )
  return {
    title: 'Decisions',
    description: 'Lists the choices that could have been made differently, by subject.',
    markdown: `Each note records one choice that could have been made differently. The notes are in \`${FOLDER}\`.\n\n${onlyLists(markdown)}`,
  }
}

/** Keeps headings and list items, and drops the passages for contributors. */
function onlyLists(markdown: string): string {
  const sections = markdown.split(/^(?=## )/m).filter((section) => /^- /m.test(section) && /^- \[?\d{4}/m.test(section))
  return sections.join('')
}
