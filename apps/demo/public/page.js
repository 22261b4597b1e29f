const LINES_SHOWN = 200

const element = (id) => document.getElementById(id)

const [navigation] = performance.getEntriesByType('navigation')
element('protocol').textContent = navigation.nextHopProtocol || 'an unknown protocol'

const events = new EventSource('/events')
events.onopen = () => (element('state').textContent = 'live')
events.onerror = () => (element('state').textContent = 'reconnecting')

// Anonymous events: what the server logs.
events.onmessage = ({ data }) => {
  const line = document.createElement('li')
  line.textContent = data
  const log = element('log')
  log.prepend(line)
  while (log.childElementCount > LINES_SHOWN) log.lastElementChild.remove()
}

// Named events: how the server is.
events.addEventListener('tick', ({ data }) => {
  const { time, uptimeS, memoryMb, clients } = JSON.parse(data)
  element('time').textContent = new Date(time).toLocaleTimeString()
  element('uptime').textContent = `${uptimeS} s`
  element('memory').textContent = `${memoryMb} MB`
  element('clients').textContent = clients
})

async function greet(name) {
  const response = await fetch(`/api/hello/${encodeURIComponent(name)}`)
  const { hello, protocol } = await response.json()
  element('greeting').textContent = `Hello ${hello}, over ${protocol}`
}

element('greet').addEventListener('submit', (event) => {
  event.preventDefault()
  void greet(new FormData(event.target).get('name'))
})
