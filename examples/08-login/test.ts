import assert from 'node:assert/strict'
import { test } from 'node:test'
import { server } from './main.ts'

function logIn(password: string, headers: Record<string, string> = {}): Promise<Response> {
  return server.fetch('/login', { method: 'POST', body: new URLSearchParams({ name: 'ada', password }), headers })
}

function cookieOf(response: Response): string {
  const [field = ''] = response.headers.getSetCookie()
  assert.match(field, /; HttpOnly; SameSite=Lax$/)
  return field.slice(0, field.indexOf(';'))
}

test('sends anonymous users to the login page, and lets users log in and out', async () => {
  const anonymous = await server.fetch('/', { redirect: 'manual' })
  assert.equal(anonymous.headers.get('location'), '/login')

  const failed = await logIn('incorrect horse')
  assert.equal(failed.status, 403)
  const before = cookieOf(failed)
  const response = await logIn('correct horse', { cookie: before, 'sec-fetch-site': 'same-origin' })
  assert.equal(response.status, 303)
  const cookie = cookieOf(response)
  assert.notEqual(cookie, before)
  const home = await server.fetch('/', { headers: { cookie } })
  assert.match(await home.text(), /Hello ada, after 1 wrong passwords/)
  assert.equal(home.headers.get('x-content-type-options'), 'nosniff')
  assert.equal((await server.fetch('/', { headers: { cookie: before } })).status, 302)

  await server.fetch('/logout', { method: 'POST', headers: { cookie } })
  assert.equal((await server.fetch('/', { headers: { cookie } })).status, 302)
})

test('refuses forms from other sites', async () => {
  assert.equal((await logIn('correct horse', { 'sec-fetch-site': 'cross-site' })).status, 403)
  assert.equal((await logIn('correct horse', { origin: 'https://example.org' })).status, 403)
})

test('limits the guesses of a password', async () => {
  // Units return while a slow machine hashes passwords.
  let status = 0
  for (let guess = 0; guess < 100 && status !== 429; guess++) status = (await logIn('guess')).status
  assert.equal(status, 429)
})
