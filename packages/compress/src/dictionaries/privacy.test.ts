import { expect, it } from 'vitest'
import { audienceOf } from './privacy.ts'

const COOKIE = { cookie: 'session=1' }
const AUTHORIZATION = { authorization: 'Bearer x' }

type Fields = Record<string, string>

it.each<[string, Fields, Fields, string]>([
  ['no fields', {}, {}, 'public'],
  ['a lifetime', {}, { 'cache-control': 'max-age=60' }, 'public'],
  ['no-cache', {}, { 'cache-control': 'no-cache' }, 'public'],
  ['no-store', {}, { 'cache-control': 'no-store' }, 'not-stored'],
  ['no-store among others', {}, { 'cache-control': 'public, NO-STORE' }, 'not-stored'],
  ['private', {}, { 'cache-control': 'private, max-age=60' }, 'private'],
  ['private fields', {}, { 'cache-control': 'private="x-user, x-name"' }, 'private'],
  ['the word private in an argument', {}, { 'cache-control': 'ext="a, private, b"' }, 'public'],
  ['a cookie in the response', {}, { 'set-cookie': 'a=b', 'cache-control': 'public' }, 'private'],
  ['Vary: Cookie', {}, { vary: 'Accept, Cookie', 'cache-control': 'public' }, 'private'],
  ['Vary: Authorization', {}, { vary: 'authorization' }, 'private'],
  ['Vary: *', {}, { vary: '*' }, 'private'],
  ['Vary: Cookie-Preference', {}, { vary: 'Cookie-Preference' }, 'public'],
  ['a cookie in the request', COOKIE, {}, 'private'],
  ['a cookie in the request and a lifetime', COOKIE, { 'cache-control': 'max-age=60' }, 'private'],
  ['a cookie in the request and public', COOKIE, { 'cache-control': 'public, max-age=60' }, 'public'],
  ['a cookie in the request and s-maxage', COOKIE, { 'cache-control': 's-maxage=60' }, 'public'],
  ['credentials in the request', AUTHORIZATION, {}, 'private'],
  ['credentials in the request and public', AUTHORIZATION, { 'cache-control': 'public' }, 'public'],
])('returns the audience of a response with %s', (_, request, response, expected) => {
  expect(audienceOf(new Headers(request), new Headers(response), false)).toBe(expected)
})

it.each<[string, Fields, string]>([
  ['a lifetime', { 'cache-control': 'max-age=60' }, 'public'],
  ['private', { 'cache-control': 'private' }, 'private'],
  ['a cookie', { 'set-cookie': 'a=b' }, 'private'],
])('returns the audience of a file with %s, requested with a cookie', (_, response, expected) => {
  expect(audienceOf(new Headers(COOKIE), new Headers(response), true)).toBe(expected)
})
