import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { PAGES } from '../src/site/pages.ts'

const CONTENT = fileURLToPath(new URL('../src/content/docs/', import.meta.url))
const DIST = fileURLToPath(new URL('../dist/', import.meta.url))

/** Maximum number of lines on a page. Longer pages are hard to search. */
const MAX_LINES = 150

/** Pages that list every export of a package, so their length depends on the code. */
const GENERATED =
  /^reference\/(?:core|log|access-log|static|sse|cors|csrf|auth|etag|security-headers|rate-limit|node-middleware|websocket|session|client-address|http-fields|compress|types)$/

/** Returns the path of the Markdown file of a page. */
function fileOf(path: string): string {
  const name = path === '' ? 'index' : path
  const file = `${CONTENT}${name}.md`
  return existsSync(file) ? file : `${CONTENT}${name}/index.md`
}

describe('the list of pages', () => {
  it('contains each page once', () => {
    expect(new Set(PAGES.map(({ path }) => path)).size).toBe(PAGES.length)
  })

  it('contains every page in the folder, except the pages of individual errors', () => {
    const files = globSync('**/*.md', { cwd: CONTENT }).filter((file) => !file.startsWith('errors/'))
    const paths = files.map((file) => file.replace(/(?:^|\/)?(?:index)?\.md$/, ''))
    expect(paths.toSorted()).toEqual(PAGES.map(({ path }) => path).toSorted())
  })

  it.each(PAGES.filter(({ path }) => !GENERATED.test(path)))('limits the page "$label" to 150 lines', ({ path }) => {
    const [, , text = ''] = readFileSync(fileOf(path), 'utf8').split(/^---$/m)
    expect(text.trim().split('\n').length).toBeLessThanOrEqual(MAX_LINES)
  })
})

describe('the built site', () => {
  it.each(PAGES)('contains HTML and Markdown for the page "$label"', ({ path }) => {
    expect(existsSync(`${DIST}${path}/index.html`)).toBe(true)
    expect(readFileSync(`${DIST}${path === '' ? 'index' : path}.md`, 'utf8')).toMatch(/^# /)
  })

  it('lists the Markdown of every page in llms.txt', () => {
    const list = readFileSync(`${DIST}llms.txt`, 'utf8')
    const missing = PAGES.filter(({ path }) => !list.includes(`/${path === '' ? 'index' : path}.md)`))
    expect(missing).toEqual([])
  })

  it('has a link to every page in the sidebar, in the order of the list', () => {
    const html = readFileSync(`${DIST}quickstart/index.html`, 'utf8')
    const [, sidebar = ''] = /<nav[^>]*class="[^"]*sidebar[^"]*"[^>]*>(.*?)<\/nav>/s.exec(html) ?? []
    const links = Array.from(sidebar.matchAll(/<a\b[^>]*href="\/([^"#]*?)\/?"/g), ([, path]) => path)
    expect(links).toEqual(PAGES.map(({ path }) => path))
  })

  it('loads nothing from another origin', () => {
    const pages = globSync('**/*.html', { cwd: DIST }).map((file) => readFileSync(DIST + file, 'utf8'))
    const loaded = pages.flatMap((html) =>
      Array.from(html.matchAll(/<(?:script|img|link)\b[^>]*?(?:src|href)="([^"]+)"[^>]*>/g)),
    )
    const foreign = loaded.filter(
      ([tag, url = '']) => /^(?:https?:)?\/\//.test(url) && !/rel="(?:canonical|sitemap)"/.test(tag),
    )
    expect(foreign.map(([tag]) => tag)).toEqual([])
  })
})
