import { posix } from 'node:path'
import { anchorOf, headingsOf, mapProse } from './markdown.ts'

/** Markdown file in the repository, and the pages of the site that show it. */
export interface Source {
  /** Path relative to the repository root. */
  readonly file: string
  readonly markdown: string
  /** Pages in the order of their text in the file. The first page begins at the top. */
  readonly pages: readonly SourcePage[]
}

/** Page that shows a file, or the part of a file that begins at a heading. */
export interface SourcePage {
  readonly path: string
  readonly from?: string
}

/** Page of the site as Markdown without front matter. */
export interface Body {
  readonly title: string
  readonly description: string
  readonly markdown: string
}

/**
 * Returns the part of a file that one page shows. Links to other pages become paths of the site. Other links to files
 * become links to the repository, or plain text without its URL.
 *
 * @throws {Error} if the file has no title, or no heading for the page
 */
export function repositoryPage(
  source: Source,
  path: string,
  sources: ReadonlyMap<string, Source>,
  repositoryUrl?: string,
): Body {
  const { title, markdown } = partOf(source, path)
  const definitions = linkDefinitions(source.markdown)
  const rewritten = mapProse(markdown, (prose) =>
    inlineLinks(prose, definitions).replaceAll(
      /(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g,
      (link, image: string, text: string, target: string) => {
        if (/^[a-z]+:/.test(target)) return link
        if (image !== '') return ''
        const url = siteUrl(target, source, sources) ?? fileUrl(target, source, repositoryUrl)
        return url === undefined ? text : `[${text}](${url})`
      },
    ),
  )
  return { title, description: firstSentence(rewritten), markdown: withoutMarkers(rewritten) }
}

/** Returns the targets of definitions such as `[0001]: decisions/0001.md`, by name. */
function linkDefinitions(markdown: string): ReadonlyMap<string, string> {
  return new Map(
    Array.from(markdown.matchAll(/^\[([^\]]+)\]: (\S+)$/gm), ([, name = '', target = '']) => [name, target]),
  )
}

/** Replaces links that have definitions with links that contain their target, and removes the definitions. */
function inlineLinks(prose: string, definitions: ReadonlyMap<string, string>): string {
  if (definitions.size === 0) return prose
  return prose
    .replaceAll(/^\[[^\]]+\]: \S+$\n?/gm, '')
    .replaceAll(/\[([^\][]+)\](?:\[([^\][]+)\])?(?![([])/g, (link, text: string, name = text) => {
      const target = definitions.get(name)
      return target === undefined ? link : `[${text}](${target})`
    })
}

/** Removes the comments that mark option tables and control the prose check. */
function withoutMarkers(markdown: string): string {
  return mapProse(markdown, (prose) => prose.replaceAll(/^<!--.*?-->\n\n?/gm, ''))
}

/** Returns the path and anchor of the page that shows a link target, if such a page exists. */
function siteUrl(target: string, source: Source, sources: ReadonlyMap<string, Source>): string | undefined {
  const [file, anchor] = resolved(target, source)
  const found = sources.get(file) ?? sources.get(posix.join(file, 'README.md'))
  if (found === undefined) return undefined
  const page = anchor === undefined ? found.pages[0] : pageOf(found, anchor)
  if (page === undefined) return undefined
  // The heading at which a page begins becomes the page title, which has no anchor.
  const isTitle = anchor === undefined || (page.from !== undefined && anchorOf(page.from) === anchor)
  return `/${page.path}/${isTitle ? '' : `#${anchor}`}`
}

function fileUrl(target: string, source: Source, repositoryUrl: string | undefined): string | undefined {
  if (repositoryUrl === undefined) return undefined
  const [file, anchor] = resolved(target, source)
  return `${repositoryUrl}/blob/main/${file}${anchor === undefined ? '' : `#${anchor}`}`
}

/** Returns the file of a link target, as a path relative to the repository root, and its anchor. */
function resolved(target: string, source: Source): [file: string, anchor: string | undefined] {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? source.file : posix.join(posix.dirname(source.file), path)
  return [file.replace(/\/$/, ''), anchor]
}

/** Returns the page that has the heading with this anchor. */
function pageOf({ markdown, pages }: Source, anchor: string): SourcePage | undefined {
  let page = pages[0]
  for (const heading of headingsOf(markdown)) {
    page = pages.find(({ from }) => from === heading.text) ?? page
    if (anchorOf(heading.text) === anchor) return page
  }
  return undefined
}

/** Returns the part of the file that belongs to a page, without its first heading. */
function partOf({ file, markdown, pages }: Source, path: string): { title: string; markdown: string } {
  const headings = headingsOf(markdown)
  const at = pages.findIndex((page) => page.path === path)
  const [first, next] = [pages[at]?.from, pages[at + 1]?.from]
  const begin = first === undefined ? headings[0] : headings.find(({ text }) => text === first)
  if (begin === undefined) throw new Error(`${file} must have the heading ${first ?? '# Title'}`)
  const lines = markdown.split('\n')
  const end = next === undefined ? lines.length : headings.find(({ text }) => text === next)?.line
  return {
    title: begin.text,
    markdown: lines
      .slice(begin.line + 1, end)
      .join('\n')
      .trim(),
  }
}

/** Returns the first sentence of a page as plain text. */
function firstSentence(markdown: string): string {
  const paragraph = markdown.split('\n\n').find((text) => /^[A-Z`*[@]/.test(text)) ?? ''
  const plain = paragraph
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll('\n', ' ')
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain
}
