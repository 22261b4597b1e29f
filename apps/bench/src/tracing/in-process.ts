// Measures the CPU time that tracing adds to a request, without sockets. Usage: node src/tracing/in-process.ts [rounds |
// --quick | --check] --check fails if the costs exceed the limits. Other load can only raise a minimum, so `--check` repeats
// the measurement before it fails.
import { channel, tracingChannel } from 'node:diagnostics_channel'
import { Server } from '@fw/core'
import { minimumCosts, printCosts } from '../minimum-cost.ts'
import { exceededLimits } from './cost-limits.ts'

/** Rounds per `--check` attempt, and the number of attempts. */
const [CHECK_ROUNDS, CHECK_ATTEMPTS] = [15, 6]

const words = process.argv.slice(2)
const isCheck = words.includes('--check')
const rounds = words.includes('--quick') ? 1 : isCheck ? CHECK_ROUNDS : Number(words[0] ?? 100)

/** Number of repetitions of the checks, so that their cost exceeds the noise. */
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

/** Sends a request, and checks the channels ten times as often as a request with one middleware function does. */
function requestWithChecks(): void {
  subscribe(undefined)
  for (let i = 0; i < CHECKS; i++) {
    // The engine checks for each read, and the application for each request.
    for (let place = 0; place < 2; place++) if (requests.hasSubscribers || flushed.hasSubscribers) found++
    if (middleware.hasSubscribers) found++
  }
  void server.fetch('/users/7')
}

const candidates = {
  'no subscriber': request(),
  'ten times the checks': requestWithChecks,
  'end of a request': request('tracing:fw.request:asyncEnd'),
  'last byte': request('fw.request.flushed'),
  middleware: request('tracing:fw.middleware:start'),
}

let costs = await minimumCosts(candidates, rounds)
for (let attempt = 1; isCheck && attempt < CHECK_ATTEMPTS && exceededLimits(costs).length > 0; attempt++) {
  const again = await minimumCosts(candidates, rounds)
  costs = new Map(Array.from(costs, ([name, cost]) => [name, Math.min(cost, again.get(name) ?? cost)]))
}
if (found > 0) throw new Error('A channel had a subscriber')
printCosts(costs)
const exceeded = isCheck ? exceededLimits(costs) : []
for (const problem of exceeded) console.error(problem)
if (exceeded.length > 0) process.exitCode = 1
