const main = document.querySelector('main')

/** Shows the view for the path in the address bar. */
async function show() {
  const [, view, name] = location.pathname.split('/')
  if (view === '') main.textContent = 'Choose a name.'
  else if (view === 'hello') main.textContent = await greeting(name)
  else main.textContent = 'This page does not exist.'
}

async function greeting(name) {
  const response = await fetch(`/api/hello/${name}`)
  const { hello } = await response.json()
  return `Hello ${hello}`
}

// Links change the address and the view without loading the page again.
document.addEventListener('click', (event) => {
  const link = event.target.closest('a')
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  history.pushState(null, '', link.href)
  void show()
})
addEventListener('popstate', () => void show())
await show()
