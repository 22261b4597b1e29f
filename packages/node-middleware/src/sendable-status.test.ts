import { App } from '@fw/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fromNode } from './index.ts'

/** Messages that the application logged. */
const logged: string[] = []

beforeEach(() => {
  logged.length = 0
  vi.spyOn(console, 'error').mockImplementation((_message: string, error: Error) => void logged.push(error.message))
})
afterEach(() => vi.restoreAllMocks())

describe('the status that middleware sets', () => {
  it.each<[unknown, number]>([
    ['404', 404],
    [404.7, 404],
    [599, 599],
    [200, 200],
  ])('is converted like in node:http: %j', async (given, sent) => {
    const app = new App()
    const read: unknown[] = []
    app.router.get(
      '/',
      fromNode((_req, res) => {
        res.statusCode = given as number
        read.push(res.statusCode)
        res.end('body')
      }),
    )
    const response = await app.fetch('/')
    expect([response.status, await response.text(), read]).toEqual([sent, 'body', [given]])
    expect(logged).toEqual([])
  })

  it.each<[unknown, number]>([
    [600, 502],
    [999, 502],
    [199, 500],
    [1000, 500],
    [0, 500],
    [undefined, 500],
    [Symbol('status'), 500],
  ])('is replaced and logged if it cannot be sent: %s', async (given, sent) => {
    const app = new App()
    const read: unknown[] = []
    const listener = fromNode((_req, res) => {
      // An exception in a timer would end the process.
      setImmediate(() => {
        res.statusCode = given as number
        read.push(res.statusCode)
        res.write('bo')
        res.end('dy')
      })
    })
    app.router.get('/', listener)
    const response = await app.fetch('/')
    expect([response.status, await response.text(), read]).toEqual([sent, 'body', [given]])
    expect(logged).toEqual([
      `response: status must be an integer from 200 to 599, got ${String(given)}. Status ${sent} was sent instead.`,
    ])
  })

  it('is not logged if another status replaces it', async () => {
    const app = new App()
    app.router.use(
      fromNode((_req, res, next) => {
        res.statusCode = 0
        res.statusCode = 202
        next()
      }),
    )
    app.router.get('/', () => 'handled')
    app.router.get('/own', {}, (ctx) => ctx.text('own', { status: 203 }))
    expect([(await app.fetch('/')).status, (await app.fetch('/own')).status, logged]).toEqual([202, 203, []])
  })

  it('can be 999 in writeHead', async () => {
    const app = new App()
    app.router.get(
      '/',
      fromNode((_req, res) => res.writeHead(999, { 'x-a': 'b' }).end('body')),
    )
    const response = await app.fetch('/')
    expect([response.status, response.headers.get('x-a'), await response.text()]).toEqual([502, 'b', 'body'])
  })
})
