import { describe, expect, it } from 'vitest'
import { contentType, extensionOf } from './content-type.ts'

describe('contentType', () => {
  it.each([
    ['/index.html', 'text/html; charset=utf-8'],
    ['/T.HTM', 'text/html; charset=utf-8'],
    ['/a.css', 'text/css; charset=utf-8'],
    ['/a.js', 'text/javascript; charset=utf-8'],
    ['/a.mjs', 'text/javascript; charset=utf-8'],
    ['/a.js.map', 'application/json; charset=utf-8'],
    ['/a.webmanifest', 'application/manifest+json; charset=utf-8'],
    ['/cache.manifest', 'application/manifest+json; charset=utf-8'],
    ['/a.svg', 'image/svg+xml'],
    ['/favicon.ico', 'image/x-icon'],
    ['/a.xml', 'application/xml; charset=utf-8'],
    ['/a.mp4', 'video/mp4'],
    ['/a.csv', 'text/csv; charset=utf-8'],
    ['/a.gif', 'image/gif'],
    ['/a.js.gz', 'application/gzip'],
    ['/a.zzz', 'application/octet-stream'],
    ['/noext', 'application/octet-stream'],
    // A name without a dot has no extension, and neither does a dot file.
    ['/html', 'application/octet-stream'],
    ['/dir.html/file', 'application/octet-stream'],
    ['/constructor', 'application/octet-stream'],
    ['/a.constructor', 'application/octet-stream'],
  ])('maps %s to %s', (name, type) => {
    expect(contentType(name)).toBe(type)
  })
})

describe('extensionOf', () => {
  it.each([
    ['/a/b.tar.GZ', 'gz'],
    ['/a.b/c', ''],
    ['/.env', ''],
    ['/x/.env.json', 'json'],
    ['/trailing.', ''],
    ['b.js', 'js'],
    ['.js', ''],
    ['', ''],
  ])('maps %j to %j', (name, extension) => {
    expect(extensionOf(name)).toBe(extension)
  })
})
