const main = document.querySelector('main') as HTMLElement

/** Shows the view for the path in the address bar. */
async function show(): Promise<void> {
  const [, view, name = ''] = location.pathname.split('/')
  main.textContent = view === 'hello' ? await greeting(name) : 'Choose a name.'
}

async function greeting(name: string): Promise<string> {
  const response = await fetch(`/api/hello/${name}`)
  const { hello } = (await response.json()) as { hello: string }
  return `Hello ${hello}`
}

// Links change the address and the view without loading the page again.
document.addEventListener('click', (event) => {
  const link = (event.target as Element).closest('a')
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  history.pushState(null, '', link.href)
  void show()
})
addEventListener('popstate', () => void show())
await show()
