import { expect, it } from 'vitest'
import { fallbackRule } from './fallback.ts'

const NAVIGATION = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

it.each([
  '/route',
  '/users/42',
  '/путь',
  '/a.b/c',
  '/v1.2',
  '/users/jane@example.com',
  '/empty/',
  '/',
  '/well-known/x',
])('treats %s as a route for any Accept', (name) => {
  for (const accept of [null, '*/*', 'application/json', NAVIGATION]) {
    expect(fallbackRule(name, accept)).toEqual({ applies: true, dependsOnAccept: false })
  }
})

it.each([
  '/missing.js',
  '/missing.JS',
  '/assets/a.css',
  '/a.png',
  '/a.gif',
  '/a.woff2',
  '/a.js.map',
  '/a.zip',
  '/a.mp3',
])('treats %s as an asset: sends a page only if Accept names HTML', (name) => {
  for (const accept of [null, '', '*/*', 'text/*', 'text/htmlx', 'text/html;q=0', 'application/json']) {
    expect(fallbackRule(name, accept)).toEqual({ applies: false, dependsOnAccept: true })
  }
  for (const accept of [NAVIGATION, 'text/html', 'TEXT/HTML;q=0.1', 'application/xhtml+xml']) {
    expect(fallbackRule(name, accept)).toEqual({ applies: true, dependsOnAccept: true })
  }
})

it.each(['/.well-known', '/.well-known/assetlinks', '/.well-known/assetlinks.json'])('does not apply to %s', (name) => {
  expect(fallbackRule(name, NAVIGATION)).toEqual({ applies: false, dependsOnAccept: false })
})
