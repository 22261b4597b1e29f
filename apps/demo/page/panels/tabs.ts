import { byId } from '../dom.ts'

const VIEWS = ['live', 'life', 'race', 'break', 'restart'] as const

/** A view of the page on a phone. Wide screens show all views at the same time. */
export type View = (typeof VIEWS)[number]

/** Matches screens that show tabs. The style sheet uses the same width. */
const PHONE = matchMedia('(max-width: 900px)')

/** The tabs at the bottom of a phone. */
export class Tabs {
  readonly #tabs = [...byId('tabs').children]
  readonly #changed: () => void

  constructor(changed: () => void) {
    this.#changed = changed
    for (const tab of this.#tabs) tab.addEventListener('click', () => this.show(viewOf(tab)))
    const given = new URLSearchParams(location.search).get('view')
    const view = VIEWS.find((each) => each === given)
    if (view !== undefined) this.show(view)
  }

  get isPhone(): boolean {
    return PHONE.matches
  }

  show(view: View): void {
    document.body.dataset['view'] = view
    for (const tab of this.#tabs) {
      if (viewOf(tab) === view) tab.setAttribute('aria-current', 'page')
      else tab.removeAttribute('aria-current')
    }
    document.querySelector('main')?.scrollTo(0, 0)
    this.#changed()
  }
}

function viewOf(tab: Element): View {
  return VIEWS.find((view) => tab instanceof HTMLElement && tab.dataset['view'] === view) ?? 'live'
}
