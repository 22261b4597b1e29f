import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventClient } from '@fw/sse/testing'
import { server } from './main.ts'

const click = (): Promise<Response> => server.fetch('/clicks', { method: 'POST' })

test('sends each click to every open page', async () => {
  const pages = [await EventClient.connect(server, '/events'), await EventClient.connect(server, '/events')]
  for (const page of pages) assert.equal((await page.next())?.data, '0')
  await click()
  for (const page of pages) {
    assert.equal((await page.next())?.data, '1')
    await page.close()
  }
})

test('replays the clicks that a page missed', async () => {
  const page = await EventClient.connect(server, '/events')
  assert.equal((await page.next())?.data, '1')
  await click()
  assert.equal((await page.next())?.data, '2')
  await page.close()
  await click()
  await click()
  await page.reconnect()
  const missed = await page.take(2)
  assert.deepEqual(
    missed.map(({ data }) => data),
    ['3', '4'],
  )
  await page.close()
})
