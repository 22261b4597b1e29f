/** Opens many streams and counts the events that arrive: `node clients.ts <port> <count>`. */
import { connect } from 'node:net'

const [port = '', count = ''] = process.argv.slice(2)
/** Number of connections that are opened concurrently. */
const OPENING = 100
let opened = 0
let opening = 0
let events = 0
let expected = Infinity

process.on('message', (message) => {
  expected = Number(message)
  report()
})

process.on('disconnect', () => process.exit())

function report(): void {
  if (events < expected) return
  events -= expected
  expected = Infinity
  process.send?.('received')
}

function open(): void {
  if (opening >= OPENING || opened + opening >= Number(count)) return
  opening++
  const socket = connect(Number(port), '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'))
  let hasHead = false
  socket.on('data', (chunk: Buffer) => {
    if (hasHead) return countEvents(chunk)
    hasHead = true
    opened++
    opening--
    if (opened === Number(count)) process.send?.('opened')
    else open()
  })
  socket.on('error', (error) => {
    throw error
  })
  socket.on('close', () => {
    throw new Error('The server closed a stream')
  })
  open()
}

function countEvents(chunk: Buffer): void {
  for (let at = chunk.indexOf('data:'); at !== -1; at = chunk.indexOf('data:', at + 5)) events++
  report()
}

open()
