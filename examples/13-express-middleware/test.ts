import assert from 'node:assert/strict'
import { test } from 'node:test'
import { server } from './main.ts'

function upload(sizeBytes: number): Promise<Response> {
  const body = new FormData()
  body.set('file', new File([new Uint8Array(sizeBytes)], 'photo.png'))
  return server.fetch('/', { method: 'POST', body })
}

test('counts the uploads of a session', async () => {
  const response = await upload(1000)
  assert.equal(response.status, 303)
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
  assert.match(await (await server.fetch('/', { headers: { cookie } })).text(), /1 uploaded/)
  assert.match(await (await server.fetch('/')).text(), /0 uploaded/)
})

test('sends the fields of helmet with every response', async () => {
  for (const path of ['/', '/nowhere']) {
    assert.equal((await server.fetch(path)).headers.get('x-frame-options'), 'SAMEORIGIN')
  }
})

test('refuses a file above the limit, and a form without one', async () => {
  assert.equal((await upload(1024 * 1024 + 1)).status, 413)
  const response = await server.fetch('/', { method: 'POST', body: new FormData() })
  assert.equal(response.status, 400)
})
