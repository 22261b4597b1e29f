import { PAGES, SECTIONS } from './pages.ts'

/** Group of links in the sidebar, in the form that Starlight expects. */
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
