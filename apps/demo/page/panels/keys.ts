import { byId, el } from '../dom.ts'

/** A key and its action. */
export interface Key {
  readonly key: string
  readonly label: string
  readonly text: string
  readonly act: () => void
}

const STORED = 'fw-live-single-keys'

/**
 * Single-key shortcuts, and the dialog that lists them. Ignores keys while a field has the focus. The visitor can turn the
 * shortcuts off (WCAG 2.1.4).
 */
export class Keys {
  readonly #dialog = byId('keys', HTMLDialogElement)
  readonly #single = byId('single', HTMLInputElement)
  readonly #keys: ReadonlyMap<string, Key>

  constructor(keys: readonly Key[]) {
    const all = [...keys, { key: '?', label: '?', text: 'This list', act: () => this.open() }]
    this.#keys = new Map(all.map((each) => [each.key, each]))
    for (const { label, text } of [...all, { label: 'Esc', text: 'Close' }]) {
      byId('keylist').append(el('dt', {}, el('kbd', { textContent: label })), el('dd', { textContent: text }))
    }
    this.#single.checked = localStorage.getItem(STORED) !== 'off'
    this.#single.addEventListener('change', () => localStorage.setItem(STORED, this.#single.checked ? 'on' : 'off'))
    document.addEventListener('keydown', (event) => this.#onKey(event))
  }

  open(): void {
    if (!this.#dialog.open) this.#dialog.showModal()
  }

  #onKey(event: KeyboardEvent): void {
    const { target, key, ctrlKey, metaKey, altKey } = event
    if (ctrlKey || metaKey || altKey || this.#dialog.open || !this.#single.checked) return
    if (target instanceof HTMLInputElement) return
    // Space presses the focused button.
    if (key === ' ' && target instanceof HTMLButtonElement) return
    const found = this.#keys.get(key.toLowerCase())
    if (found === undefined) return
    event.preventDefault()
    found.act()
  }
}
