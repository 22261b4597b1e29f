import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

const folder = await mkdtemp(join(tmpdir(), 'uploads-'))
after(() => rm(folder, { recursive: true }))
process.env['UPLOADS'] = folder
const { server } = await import('./main.ts')

function upload(name: string, type: string): Promise<Response> {
  const body = new FormData()
  body.set('title', 'Holidays')
  body.set(name, new File(['0123456789'], '../../beach.png', { type }))
  return server.fetch('/photos', { method: 'POST', body })
}

test('stores a photo and sends ranges of it', async () => {
  const response = await upload('photo', 'image/png')
  assert.equal(response.status, 303)
  const path = response.headers.get('location') ?? ''
  assert.match(path, /^\/photos\/[0-9a-f-]{36}\.png$/)

  const range = await server.fetch(path, { headers: { range: 'bytes=2-4' } })
  assert.equal(range.status, 206)
  assert.equal(range.headers.get('content-range'), 'bytes 2-4/10')
  assert.equal(await range.text(), '234')
})

test('refuses other files and stores nothing', async () => {
  const before = await readdir(folder)
  assert.equal((await upload('photo', 'text/html')).status, 415)
  assert.equal((await upload('video', 'image/png')).status, 400)
  assert.deepEqual(await readdir(folder), before)
})
