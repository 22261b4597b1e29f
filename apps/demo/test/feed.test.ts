import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { sse } from '@fw/sse'
import { EventClient } from '@fw/sse/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Feed } from '../src/live/feed.ts'
import type { FeedEvents, RequestMessage, WelcomeMessage } from '../src/live/messages.ts'

let feed: Feed
let server: Server

function start(isPublic: boolean): void {
  setSinks([])
  feed = new Feed(isPublic)
  server = new Server()
  server.router().get('/events/:visitor', async (ctx) => {
    const stream = await sse<FeedEvents>(ctx)
    return feed.follow(stream, ctx.params.visitor, { visitor: ctx.params.visitor } as WelcomeMessage)
  })
}
afterEach(() => feed.close())

const request = (path: string, by: string): RequestMessage => ({ path, by }) as RequestMessage
const paths = (data: string): string[] => (JSON.parse(data) as RequestMessage[]).map(({ path }) => path)

describe('the feed', () => {
  beforeEach(() => start(false))

  it('sends the welcome first, and missed requests to a page that reconnects', async () => {
    await using page = await EventClient.connect(server, '/events/ada')
    expect(await page.next()).toMatchObject({ type: 'welcome' })
    feed.requests([request('/one', 'ada')])
    const first = await page.next()
    expect(paths(first?.data ?? '')).toEqual(['/one'])
    await page.close()
    feed.requests([request('/two', 'ada')])
    feed.requests([request('/three', 'demo')])
    await page.reconnect()
    const [welcome, two, three] = await page.take(3)
    expect(welcome?.type).toBe('welcome')
    expect([two, three].flatMap((event) => paths(event?.data ?? ''))).toEqual(['/two', '/three'])
  })

  it('ignores messages after close', async () => {
    await using page = await EventClient.connect(server, '/events/ada')
    await page.next()
    await feed.close()
    feed.requests([request('/late', 'ada')])
    feed.counts({ counts: [] })
    expect(await page.next()).toBeUndefined()
  })
})

describe('the feed in public mode', () => {
  beforeEach(() => start(true))

  it('sends each request only to its visitor, and the counts to all visitors', async () => {
    await using ada = await EventClient.connect(server, '/events/ada')
    await using bob = await EventClient.connect(server, '/events/bob')
    await ada.next()
    await bob.next()
    feed.requests([
      request('/of-ada', 'ada'),
      request('/of-bob', 'bob'),
      request('/of-demo', 'demo'),
      request('/of-nobody', ''),
    ])
    feed.counts({ counts: [[0, 1, 4, 0]] })
    const [ofAda, countsOfAda] = await ada.take(2)
    const [ofBob, countsOfBob] = await bob.take(2)
    expect(paths(ofAda?.data ?? '')).toEqual(['/of-ada'])
    expect(paths(ofBob?.data ?? '')).toEqual(['/of-bob'])
    expect([countsOfAda?.type, countsOfBob?.type]).toEqual(['counts', 'counts'])
  })

  it("hides other visitors' requests in the history for a new visitor", () => {
    const all = [request('/a', 'ada'), request('/b', 'bob'), request('/c', 'demo')]
    expect(feed.visible(all, 'ada').map(({ path }) => path)).toEqual(['/a'])
  })
})
