import { describe, expect, it } from 'vitest'
import { resolveOptions, type StaticFilesOptions } from './options.ts'

describe('resolveOptions', () => {
  it('has a default for everything', () => {
    expect(resolveOptions()).toEqual({
      precompressed: true,
      cacheInMemory: true,
      indexFile: 'index.html',
      spa: false,
      fallbackFile: 'index.html',
      etag: true,
      lastModified: true,
      cacheControl: undefined,
      dotfiles: 'deny',
      dotdot: 'anywhere',
      symlinks: 'inside',
      redirect: false,
      maxCachedFileBytes: 1_048_576,
      maxCacheBytes: 67_108_864,
      onWarning: undefined,
    })
  })

  it('takes what is given, and undefined for not given', () => {
    const given = { spa: true, fallbackFile: 'shell/app.html', indexFile: undefined }
    expect(resolveOptions(given as unknown as StaticFilesOptions)).toMatchObject({
      spa: true,
      fallbackFile: 'shell/app.html',
      indexFile: 'index.html',
    })
  })

  it('names an unknown option and the known ones', () => {
    expect(() => resolveOptions({ index: 'a.html' } as StaticFilesOptions)).toThrow(
      /^Unknown option 'index' for static files; known are: precompressed, .*indexFile/,
    )
    expect(() => resolveOptions({ constructor: 1 } as StaticFilesOptions)).toThrow(TypeError)
  })

  it.each([
    [{ spa: 'yes' }, "Option 'spa' for static files takes true or false"],
    [{ cacheControl: 'no-cache' }, "Option 'cacheControl' for static files takes a function"],
    [{ dotfiles: 'ignore' }, "Option 'dotfiles' for static files takes 'deny' or 'allow'"],
    [{ maxCacheBytes: -1 }, "Option 'maxCacheBytes' for static files takes a whole number, 0 or more"],
    [{ maxCachedFileBytes: 0.5 }, "Option 'maxCachedFileBytes' for static files takes a whole number, 0 or more"],
    [{ indexFile: '' }, "Option 'indexFile' for static files takes a relative path without . or .. segments"],
    [
      { fallbackFile: '../app.html' },
      "Option 'fallbackFile' for static files takes a relative path without . or .. segments",
    ],
    [
      { fallbackFile: '/app.html' },
      "Option 'fallbackFile' for static files takes a relative path without . or .. segments",
    ],
  ])('refuses %j', (given, message) => {
    expect(() => resolveOptions(given as unknown as StaticFilesOptions)).toThrow(new TypeError(message))
  })
})
