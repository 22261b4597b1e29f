import { PAGES, SECTIONS } from './pages.ts'

/** Group of links in the sidebar, as Starlight expects it. */
export interface SidebarGroup {
  readonly label: string
  readonly collapsed: boolean
  readonly items: { label: string; slug: string }[]
}

/** Returns the sidebar: one group for each section that has pages. */
export function sidebar(): SidebarGroup[] {
  return SECTIONS.map((section) => ({
    label: section,
    collapsed: section !== 'Start' && section !== 'Guides',
    items: PAGES.filter((page) => page.section === section).map(({ label, path }) => ({
      label,
      slug: path === '' ? 'index' : path,
    })),
  })).filter(({ items }) => items.length > 0)
}

/** Returns the list of all pages for `llms.txt`, with links to their Markdown text. */
export function pageList(site: string): string {
  return SECTIONS.map((section) => {
    const pages = PAGES.filter((page) => page.section === section)
    const links = pages.map(({ label, path }) => `- [${label}](${site}/${path === '' ? 'index' : path}.md)`)
    return `### ${section}\n\n${links.join('\n')}`
  }).join('\n\n')
}
