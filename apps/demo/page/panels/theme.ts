import { readColors } from '../colors.ts'
import { byId, setText } from '../dom.ts'

type ThemeName = 'dark' | 'light'

const STORED = 'fw-live-theme'

/** Light or dark theme. Follows the system setting until the visitor chooses. `?theme=light` sets the theme for one visit. */
export class Theme {
  readonly #button = byId('theme')
  readonly #system = matchMedia('(prefers-color-scheme: light)')
  readonly #changed: () => void
  #chosen: ThemeName | undefined

  constructor(changed: () => void) {
    this.#changed = changed
    const given = new URLSearchParams(location.search).get('theme') ?? localStorage.getItem(STORED)
    if (given === 'light' || given === 'dark') this.#chosen = given
    this.#button.addEventListener('click', () => this.toggle())
    this.#system.addEventListener('change', () => this.#apply())
    this.#apply()
  }

  toggle(): void {
    this.#chosen = this.#current === 'light' ? 'dark' : 'light'
    localStorage.setItem(STORED, this.#chosen)
    this.#apply()
  }

  get #current(): ThemeName {
    return this.#chosen ?? (this.#system.matches ? 'light' : 'dark')
  }

  #apply(): void {
    document.documentElement.dataset['theme'] = this.#current
    setText(this.#button.firstElementChild, this.#current === 'light' ? 'Dark' : 'Light')
    readColors()
    this.#changed()
  }
}
