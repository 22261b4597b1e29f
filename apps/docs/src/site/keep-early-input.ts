/**
 * Adds a field to the search dialog until Pagefind has loaded its own field. Starlight focuses the first field in the dialog,
 * so a reader can type immediately. Passes the text and the focus on to Pagefind's field.
 */
export function keepEarlyInput(container: HTMLElement): void {
  const early = document.createElement('input')
  early.type = 'search'
  early.className = 'early-search'
  early.placeholder = 'Search'
  early.setAttribute('aria-label', 'Search')
  container.append(early)
  new MutationObserver((_, observer) => {
    const field = container.querySelector<HTMLInputElement>('.pagefind-ui__search-input')
    if (field === null) return
    observer.disconnect()
    const hasFocus = document.activeElement === early
    field.value = early.value
    early.remove()
    if (hasFocus) field.focus()
    if (field.value !== '') field.dispatchEvent(new Event('input'))
  }).observe(container, { childList: true, subtree: true })
}
