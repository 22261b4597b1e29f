import { readdir } from 'node:fs/promises'
import { tempFolder } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { create, PROGRAM, run } from './run.ts'

const PNPM = { npm_config_user_agent: 'pnpm/12.21.0 npm/? node/v26.10.0 linux x64' }

describe('the command line', () => {
  it.each([
    [['--templete', 'api'], '--templete is not a flag. The flags are --template <name>, --https'],
    [['--no-color'], '--no-color is not a flag.'],
    [['-x'], '-x is not a flag.'],
    [['--template', 'vue'], '--template must be minimal, api, live, spa, got "vue". Type --template api'],
    [['--template'], '--template must be minimal, api, live, spa, got no name. Type --template api'],
    [['--template', 'toString'], 'got "toString"'],
    [['--https=no'], '--https must not have a value, got "no". Type --https'],
    [['my', 'app'], 'Give one folder, got "my" and "app".'],
  ])('refuses %j, states what to type, and writes nothing', async (args, message) => {
    await using folder = await tempFolder()
    const ended = await create([...args, '--yes', '--no-install'], { cwd: folder.path })
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toContain(message)
    expect(await readdir(folder.path)).toEqual([])
  })

  it('refuses to ask without a terminal', async () => {
    await using folder = await tempFolder()
    const { code, stderr } = await create(['my-app'], { cwd: folder.path, env: PNPM })
    expect(code).toBe(1)
    expect(stderr).toBe(
      'create: cannot ask questions without a terminal. Add --yes for the defaults:\n  pnpm create @fw@latest my-app --yes\n',
    )
    expect(await readdir(folder.path)).toEqual([])
  })

  it("shows every flag with --help, and the package manager's command", async () => {
    await using folder = await tempFolder()
    const npm = await create(['--help'], { cwd: folder.path })
    expect(npm).toMatchObject({ code: 0, stderr: '' })
    for (const flag of ['template', 'https', 'docker', 'systemd', 'no-install', 'no-git', 'yes', 'help']) {
      expect(npm.stdout).toContain(`--${flag}`)
    }
    expect(npm.stdout).toContain('npm create @fw@latest -- [folder]')
    const pnpm = await create(['-h'], { cwd: folder.path, env: PNPM })
    expect(pnpm.stdout).toContain('pnpm create @fw@latest [folder]')
  })
})

describe('the folder', () => {
  it.each(['.git/HEAD', 'notes.txt', 'empty-folder/.keep'])('is refused if it has files: %s', async (file) => {
    await using folder = await tempFolder({ [`app/${file}`]: 'mine' })
    const { code, stderr } = await create(['app', '--yes', '--no-install'], { cwd: folder.path })
    expect(code).toBe(1)
    expect(stderr).toBe(
      `The folder ${folder.join('app')} is not empty, and its files must not be overwritten. Choose another one:\n` +
        '  npm create @fw@latest -- another-folder\n',
    )
    expect(await readdir(folder.join('app'))).toEqual([file.split('/')[0]])
  })

  it.each(['file', 'file/app', 'file/a/b'])('is refused if it is a file or is below a file: %s', async (path) => {
    await using folder = await tempFolder({ file: 'mine' })
    const { code, stderr } = await create([path, '--yes', '--no-install'], { cwd: folder.path })
    expect(code).toBe(1)
    expect(stderr).toContain(`${folder.join(path)} is a file or is below a file. Choose another one:`)
  })

  it('is refused if it cannot be written', async () => {
    await using folder = await tempFolder()
    const { code, stderr } = await create(['/proc/my-app', '--yes', '--no-install'], { cwd: folder.path })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^The folder \/proc\/my-app cannot be written: ENOENT.* Choose another one:\n {2}npm create/)
  })
})

describe('an old Node.js version', () => {
  it('causes a one-sentence message', async () => {
    const old = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '20.19.2' } })`
    const ended = await run([process.execPath, '--import', old, PROGRAM], { cwd: '.' })
    expect(ended).toEqual({
      code: 1,
      stdout: '',
      stderr:
        '@fw/create needs Node.js 24 or later, but this is Node.js 20.19.2. Install a newer version from https://nodejs.org.\n',
    })
  })
})
