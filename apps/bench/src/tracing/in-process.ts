// Measures the CPU time that tracing adds to a request, without sockets.
// Usage: node src/tracing/in-process.ts [rounds | --quick]
import { channel, tracingChannel } from 'node:diagnostics_channel'
import { Server } from '@fw/core'
import { minimumCosts, printCosts } from '../minimum-cost.ts'

const words = process.argv.slice(2)
const rounds = words.includes('--quick') ? 1 : Number(words[0] ?? 100)

/** Repetitions of the checks, so that their cost exceeds the noise. */
const CHECKS = 10
const requests = tracingChannel('fw.request')
const flushed = channel('fw.request.flushed')
const middleware = tracingChannel('fw.middleware')

const server = new Server()
const router = server.router()
router.use(function first(_ctx, next) {
  return next()
})
router.get('/users/:id', () => 'hello world')

let subscribed: string | undefined

function ignore(): void {}

/** Subscribes to one channel instead of the previous one. */
function subscribe(name: string | undefined): void {
  if (name === subscribed) return
  if (subscribed !== undefined) channel(subscribed).unsubscribe(ignore)
  if (name !== undefined) channel(name).subscribe(ignore)
  subscribed = name
}

/** Returns a function that sends a request while a channel has a subscriber. */
function request(name?: string): () => void {
  return () => {
    subscribe(name)
    void server.fetch('/users/7')
  }
}

let found = 0

/** Sends a request, and checks the channels ten times as often as a request with one middleware does. */
function requestWithChecks(): void {
  subscribe(undefined)
  for (let i = 0; i < CHECKS; i++) {
    // The engine checks for each read, and the application for each request.
    for (let place = 0; place < 2; place++) if (requests.hasSubscribers || flushed.hasSubscribers) found++
    if (middleware.hasSubscribers) found++
  }
  void server.fetch('/users/7')
}

const costs = await minimumCosts(
  {
    'no subscriber': request(),
    'ten times the checks': requestWithChecks,
    'end of a request': request('tracing:fw.request:asyncEnd'),
    'last byte': request('fw.request.flushed'),
    middleware: request('tracing:fw.middleware:start'),
  },
  rounds,
)
if (found > 0) throw new Error('A channel had a subscriber')
printCosts(costs)
