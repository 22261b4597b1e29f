import { anchorOf, headingsOf } from './markdown.ts'
import type { Body } from './repository-page.ts'

/**
 * Returns the API page of each package.
 *
 * @param packages Markdown from typedoc, by package name without its scope
 */
export function referencePages(packages: ReadonlyMap<string, string>): ReadonlyMap<string, Body> {
  const anchors = new Map(Array.from(packages, ([name, markdown]) => [name, anchorsOf(markdown)]))
  return new Map(
    Array.from(packages, ([name, markdown]) => [
      `reference/${name}`,
      {
        title: `@fw/${name}`,
        description: `Documents every export of @fw/${name}.`,
        markdown: markdown
          .replaceAll(/\]\((?:\.\.\/([\w-]+)\/)?(?:src\.md)?(#[^)]*)?\)/g, (_, other = name, anchor = '') => {
            return `](/reference/${other}/${existingAnchor(anchor, anchors.get(other))})`
          })
          // typedoc separates members by horizontal rules, but the headings already separate them.
          .replaceAll(/^\*\*\*\n\n/gm, ''),
      },
    ]),
  )
}

/**
 * Returns the anchor, or the anchor of the first heading with this text, because typedoc also counts headings that it omits.
 */
function existingAnchor(anchor: string, known: ReadonlySet<string> = new Set()): string {
  const name = anchor.slice(1)
  const first = name.replace(/-\d+$/, '')
  return [name, first].filter((each) => known.has(each)).map((each) => `#${each}`)[0] ?? ''
}

function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const { text } of headingsOf(markdown)) {
    const base = anchorOf(text.replaceAll('\\', ''))
    let anchor = base
    for (let count = 1; anchors.has(anchor); count++) anchor = `${base}-${count}`
    anchors.add(anchor)
  }
  for (const [, id = ''] of markdown.matchAll(/<a id="([^"]+)">/g)) anchors.add(id)
  return anchors
}
