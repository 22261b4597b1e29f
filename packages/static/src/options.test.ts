import { describe, expect, it } from 'vitest'
import { resolveOptions, type StaticFilesOptions } from './options.ts'

const RELATIVE = 'must be a relative path without "." or ".." segments'
const NAME_A_FILE = 'Name a file below the directory, for example "app/index.html".'

describe('resolveOptions', () => {
  it('fills in a default for each option', () => {
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

  it('keeps given values and treats undefined as absent', () => {
    const given = { spa: true, fallbackFile: 'shell/app.html', indexFile: undefined }
    expect(resolveOptions(given as unknown as StaticFilesOptions)).toMatchObject({
      spa: true,
      fallbackFile: 'shell/app.html',
      indexFile: 'index.html',
    })
  })

  it('reports an unknown option with the known ones', () => {
    expect(() => resolveOptions({ index: 'a.html' } as StaticFilesOptions)).toThrow(
      /^staticFiles: unknown option "index"\. Known options: precompressed, .*indexFile/,
    )
    expect(() => resolveOptions({ constructor: 1 } as StaticFilesOptions)).toThrow(TypeError)
  })

  it.each([
    [{ spa: 'yes' }, 'option "spa" must be true or false, got "yes". Omit it to use the default.'],
    [
      { cacheControl: 'no-cache' },
      'option "cacheControl" must be a function, got "no-cache". Use () => "no-cache" for one value.',
    ],
    [{ dotfiles: 'ignore' }, 'option "dotfiles" must be "deny" or "allow", got "ignore". Omit it to use the default.'],
    [{ indexFile: '' }, `option "indexFile" ${RELATIVE}, got "". ${NAME_A_FILE}`],
    [{ fallbackFile: '../app.html' }, `option "fallbackFile" ${RELATIVE}, got "../app.html". ${NAME_A_FILE}`],
    [{ fallbackFile: '/app.html' }, `option "fallbackFile" ${RELATIVE}, got "/app.html". ${NAME_A_FILE}`],
  ])('refuses %j', (given, message) => {
    const error = expect.objectContaining({ name: 'TypeError', message: `staticFiles: ${message}` })
    expect(() => resolveOptions(given as unknown as StaticFilesOptions)).toThrow(error)
  })

  it.each<[StaticFilesOptions, string]>([
    [{ maxCacheBytes: -1 }, 'option "maxCacheBytes" must be an integer of at least 0, got -1.'],
    [{ maxCachedFileBytes: 0.5 }, 'option "maxCachedFileBytes" must be an integer of at least 0, got 0.5.'],
  ])('refuses %j, which is out of range', (given, message) => {
    const error = expect.objectContaining({
      name: 'RangeError',
      message: `staticFiles: ${message} Omit it to use the default.`,
    })
    expect(() => resolveOptions(given)).toThrow(error)
  })
})
