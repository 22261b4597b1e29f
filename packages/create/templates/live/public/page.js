const count = document.querySelector('#count')
const state = document.querySelector('#state')

// The browser reconnects automatically when the connection is lost.
const events = new EventSource('/events')
events.addEventListener('open', () => (state.textContent = 'Connected'))
events.addEventListener('error', () => (state.textContent = 'Reconnecting'))
events.addEventListener('count', ({ data }) => (count.textContent = data))

document.querySelector('#click').addEventListener('click', () => {
  void fetch('/clicks', { method: 'POST' })
})
