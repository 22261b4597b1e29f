import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PAGES = ['*.md', 'docs/**/*.md', 'packages/*/README.md', 'packages/*/docs/*.md'].flatMap((pattern) =>
  globSync(pattern, { cwd: ROOT }),
)

/** Returns the links to files and headings, except those in code. */
function linksOf(markdown: string): string[] {
  const text = markdown.replaceAll(/^ *```[^]*?^ *```/gm, '')
  return Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link).filter((link) => !link.includes('://'))
}

/** Returns the anchors of the headings. */
function anchorsOf(markdown: string): string[] {
  return Array.from(markdown.matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  )
}

/** Reports whether the target of a link exists. */
function isFound(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? join(ROOT, page) : resolve(ROOT, dirname(page), path)
  if (!existsSync(target)) return false
  return anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).includes(anchor)
}

it('finds the pages and their links', () => {
  expect(PAGES).toEqual(expect.arrayContaining(['README.md', 'docs/workers.md', 'packages/core/README.md']))
  expect(linksOf(readFileSync(join(ROOT, 'README.md'), 'utf8'))).toContain('docs/workers.md')
  expect(isFound('README.md', 'docs/no-such-page.md')).toBe(false)
  expect(isFound('README.md', 'docs/workers.md#no-such-heading')).toBe(false)
})

it.each(PAGES)('finds the target of every link in %s', (page) => {
  const links = linksOf(readFileSync(join(ROOT, page), 'utf8'))
  expect(links.filter((link) => !isFound(page, link))).toEqual([])
})
