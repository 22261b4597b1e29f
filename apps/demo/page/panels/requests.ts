import type { RequestMessage, TrafficLevel } from '../../src/live/messages.ts'
import { byId, el, press } from '../dom.ts'
import { duration, tone } from '../format.ts'
import type { Only, RequestList } from '../request-list.ts'

/** Maximum number of rows in the list. Further rows would not be visible. */
const MAX_ROWS = 40

/** The request list. It does not change while the pointer or the focus is in it. */
export class Requests {
  readonly #list: RequestList
  readonly #box = byId('list')
  readonly #select: (request: RequestMessage) => void
  readonly #quiet = byId('quiet')
  #hasTraffic = false
  #selected: string | undefined
  #isStale = true

  constructor(list: RequestList, select: (request: RequestMessage) => void) {
    this.#list = list
    this.#select = select
    const only = byId('only')
    only.addEventListener('click', ({ target }) => {
      if (!(target instanceof HTMLButtonElement)) return
      list.only = (target.dataset['only'] ?? 'all') as Only
      press(only, (button) => button === target)
      this.draw()
    })
    const filter = byId('filter', HTMLInputElement)
    filter.addEventListener('input', () => {
      list.query = filter.value
      this.draw()
    })
    filter.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') filter.blur()
    })
    this.#box.addEventListener('click', ({ target }) => {
      const row = target instanceof Element ? target.closest<HTMLElement>('[data-id]') : null
      const request = list.find(row?.dataset['id'] ?? '')
      if (request !== undefined) select(request)
    })
    this.#box.addEventListener('keydown', (event) => {
      const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }[event.key]
      if (by === undefined) return
      event.preventDefault()
      this.move(by)
    })
  }

  /** Selects the request at this distance from the selected one. */
  move(by: number): void {
    const request = this.#list.neighbor(this.#selected, by)
    if (request !== undefined) this.#select(request)
  }

  /** Marks a request as selected. */
  mark({ id }: RequestMessage): void {
    this.#selected = id
    this.draw()
    this.#reveal()
  }

  /** Scrolls the list, but not the page, to the selected request. */
  #reveal(): void {
    const row = this.#box.querySelector<HTMLElement>('[aria-selected="true"]')
    if (row === null) return
    const top = row.offsetTop
    if (top < this.#box.scrollTop) this.#box.scrollTop = top
    const bottom = top + row.offsetHeight - this.#box.clientHeight
    if (bottom > this.#box.scrollTop) this.#box.scrollTop = bottom
  }

  /** Records whether the demo is sending requests to itself. If it is not, a short list explains how to fill it. */
  traffic(level: TrafficLevel): void {
    this.#hasTraffic = level !== 'off'
    this.draw()
  }

  /** Records that new requests have arrived. */
  changed(): void {
    this.#isStale = true
  }

  /** Draws the list if it has changed and neither the pointer nor the focus is in it. */
  update(): void {
    if (this.#isStale && !this.#box.matches(':hover, :focus')) this.draw()
  }

  draw(): void {
    this.#isStale = false
    const rows = this.#list.shown.slice(0, MAX_ROWS).map((request) => this.#row(request))
    if (rows.length === 0) rows.push(this.#nothing())
    this.#box.replaceChildren(...rows)
    this.#quiet.hidden = this.#hasTraffic || !this.#list.isShort
    const selected = this.#box.querySelector('[aria-selected="true"]')
    if (selected === null) this.#box.removeAttribute('aria-activedescendant')
    else this.#box.setAttribute('aria-activedescendant', selected.id)
  }

  #row(request: RequestMessage): HTMLElement {
    const { id, protocol, method, path, status, tookUs } = request
    const target = el('span', { className: 'path', title: path }, el('span', { textContent: path }))
    if (this.#list.isOwn(request)) target.append(el('em', { textContent: 'you' }))
    const row = el(
      'div',
      { className: 'row', id: `r-${id}` },
      el('span', { className: protocol, textContent: protocol }),
      el('span', { className: 'm', textContent: method }),
      target,
      el('span', { className: tone(status), textContent: String(status) }),
      el('span', { className: 't', textContent: duration(tookUs) }),
    )
    row.role = 'option'
    row.ariaSelected = String(id === this.#selected)
    row.dataset['id'] = id
    return row
  }

  #nothing(): HTMLElement {
    const text = this.#list.isEmpty
      ? 'No requests yet. Press H to say hello, or turn on the demo traffic.'
      : 'Nothing matches.'
    const row = el('div', { className: 'none', textContent: text })
    row.role = 'option'
    row.ariaSelected = 'false'
    return row
  }
}
