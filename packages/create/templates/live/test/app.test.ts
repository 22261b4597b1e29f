import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventClient } from '@fw/sse/testing'
import { server } from '../src/app.ts'

test('sends a click to every open page', async () => {
  const first = await EventClient.connect(server, '/events')
  const second = await EventClient.connect(server, '/events')
  for (const page of [first, second]) assert.equal((await page.next())?.data, '0')

  assert.equal((await server.fetch('/clicks', { method: 'POST' })).status, 204)
  for (const page of [first, second]) {
    assert.equal((await page.next())?.data, '1')
    await page.close()
  }
})

test('serves the page', async () => {
  const response = await server.fetch('/')
  assert.equal(response.status, 200)
  assert.match(await response.text(), /<title>Live counter<\/title>/)
})
