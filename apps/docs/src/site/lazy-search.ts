interface SearchOptions {
  /** Selector of the element that receives the search. */
  readonly element: string
}

/**
 * Replaces the Pagefind class, of which Starlight creates an instance on every page. Loads Pagefind when the reader opens the
 * dialog, because it is a third of a page's bytes, and most readers do not search.
 */
export function PagefindUI(options: SearchOptions): void {
  const dialog = document.querySelector(options.element)?.closest('dialog')
  if (dialog === undefined || dialog === null) throw new Error(`${options.element} must be in a dialog`)
  const observer = new MutationObserver(loadIfOpen)
  observer.observe(dialog, { attributeFilter: ['open'] })
  loadIfOpen()

  function loadIfOpen(): void {
    if (dialog?.open !== true) return
    observer.disconnect()
    import('@pagefind/default-ui/npm_dist/mjs/ui-core.mjs').then((ui) => new ui.PagefindUI(options), console.error)
  }
}
