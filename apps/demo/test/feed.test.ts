import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { sse } from '@fw/sse'
import { EventClient } from '@fw/sse/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Feed } from '../src/feed.ts'

let feed: Feed
let server: Server

beforeEach(() => {
  setSinks([])
  feed = new Feed(0)
  server = new Server()
  server.router().get('/events', async (ctx) => feed.follow(await sse(ctx)))
})
afterEach(() => feed.close())

const log = (message: string): void => feed.write({ message } as Parameters<Feed['write']>[0])

it('sends missed messages to a page that reconnects', async () => {
  await using page = await EventClient.connect(server, '/events')
  expect(await page.next()).toMatchObject({ type: 'tick' })
  log('one')
  expect(await page.next()).toMatchObject({ type: 'message', data: 'one' })
  await page.close()
  log('two')
  log('three')
  await page.reconnect()
  expect((await page.take(3)).map(({ type, data }) => (type === 'tick' ? type : data))).toEqual([
    'two',
    'three',
    'tick',
  ])
})

it('ignores messages after close', async () => {
  await using page = await EventClient.connect(server, '/events')
  await page.next()
  await feed.close()
  log('late')
  expect(await page.next()).toBeUndefined()
})
