import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { readdir, symlink } from 'node:fs/promises'
import { tempFolder, type TempFolder } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { create } from './run.ts'

const CATALOG = readFileSync(new URL('../../../pnpm-workspace.yaml', import.meta.url), 'utf8')
const OWN = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
  devDependencies: Record<string, string>
}

interface Manifest {
  readonly name: string
  readonly scripts: Record<string, string>
  readonly dependencies: Record<string, string>
  readonly devDependencies: Record<string, string>
}

function manifestOf(folder: TempFolder, name = 'my-app'): Manifest {
  return JSON.parse(readFileSync(folder.join(name, 'package.json'), 'utf8')) as Manifest
}

/** Creates a folder with links to some programs, for use as the only folder in `PATH`. */
async function folderOfPrograms(folder: TempFolder, names: readonly string[]): Promise<string> {
  for (const name of names) {
    const path = execFileSync('which', [name], { encoding: 'utf8' }).trim()
    await symlink(path, folder.join(name))
  }
  return folder.path
}

describe('a created package.json', () => {
  it.each(['minimal', 'api', 'live', 'spa'])('uses the versions of this repository: %s', async (template) => {
    await using folder = await tempFolder()
    const args = ['--template', template, '--yes', '--no-install', '--no-git']
    expect(await create(args, { cwd: folder.path })).toMatchObject({ code: 0, stderr: '' })
    const { name, dependencies, devDependencies } = manifestOf(folder)
    expect(name).toBe('my-app')
    for (const [each, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      const catalog = new RegExp(`^  '?${each}'?: (.*)$`, 'm').exec(CATALOG)?.[1]
      const own = each.startsWith('@fw/') ? OWN.version : (catalog ?? OWN.devDependencies[each])
      expect(`${each} ${version}`).toBe(`${each} ^${own}`)
    }
  })
})

describe('the installation', () => {
  it('uses the package manager that runs the program, and states what to type if it fails', async () => {
    await using folder = await tempFolder()
    await using programs = await tempFolder()
    const env = { PATH: await folderOfPrograms(programs, ['git']), npm_config_user_agent: 'pnpm/12.21.0 npm/?' }
    const { code, stdout, stderr } = await create(['my-app', '--yes'], { cwd: folder.path, env })
    expect(code).toBe(1)
    expect(stderr).toBe(
      `The application is written, but "pnpm install" failed. Run it again in ${folder.join('my-app')}\n`,
    )
    expect(stdout).toContain('Type next:\n\n  cd my-app\n  pnpm run dev\n')
  })

  it('appears second among the commands to type after --no-install', async () => {
    await using folder = await tempFolder()
    const { stdout } = await create(['my app', '--yes', '--no-install'], { cwd: folder.path })
    expect(stdout).toContain('Type next:\n\n  cd "my app"\n  npm install\n  npm run dev\n\n')
  })

  it('shows no cd command for an application in the current folder', async () => {
    await using folder = await tempFolder()
    const { stdout } = await create(['.', '--yes', '--no-install', '--no-git'], { cwd: folder.path })
    expect(stdout).toContain('Type next:\n\n  npm install\n  npm run dev\n  npm run test\n\n')
    expect(await readdir(folder.path)).toContain('package.json')
  })
})

describe('git', () => {
  it('creates a repository, unless the folder is inside another one', async () => {
    await using folder = await tempFolder()
    await create(['outer', '--yes', '--no-install'], { cwd: folder.path })
    expect(await readdir(folder.join('outer'))).toContain('.git')
    await create(['outer/inner', '--yes', '--no-install'], { cwd: folder.path })
    expect(await readdir(folder.join('outer/inner'))).not.toContain('.git')
  })
})

describe('a certificate', () => {
  it('names this machine, stays out of git, and has a key that only its owner can read', async () => {
    await using folder = await tempFolder()
    await using programs = await tempFolder()
    const env = { PATH: await folderOfPrograms(programs, ['git', 'openssl']) }
    const { code, stdout } = await create(['my-app', '--https', '--yes', '--no-install'], { cwd: folder.path, env })
    expect(code).toBe(0)
    expect(stdout).toContain('Created a certificate for this machine with openssl')
    expect(stdout).toContain('the browser warns')
    expect(statSync(folder.join('my-app/certificates/key.pem')).mode & 0o777).toBe(0o600)
    const status = execFileSync('git', ['status', '--short', '-uall'], { cwd: folder.join('my-app'), encoding: 'utf8' })
    expect(status).toContain('certificates/README.md')
    expect(status).not.toContain('.pem')
    expect(manifestOf(folder).scripts['certificate']).toMatch(/^openssl /)
  })

  it('is created by mkcert if it is installed', async () => {
    await using folder = await tempFolder()
    await using programs = await tempFolder()
    const PATH = await folderOfPrograms(programs, ['git', 'openssl', 'true'])
    await symlink(programs.join('true'), programs.join('mkcert'))
    const { stdout } = await create(['my-app', '--https', '--yes', '--no-install'], { cwd: folder.path, env: { PATH } })
    expect(stdout).toContain('Created a certificate for this machine with mkcert')
    expect(stdout).not.toContain('the browser warns')
    expect(manifestOf(folder).scripts['certificate']).toMatch(/^mkcert /)
  })

  it('is omitted if neither program is installed, and the output names the command to type', async () => {
    await using folder = await tempFolder()
    await using programs = await tempFolder()
    const env = { PATH: programs.path }
    const { code, stderr } = await create(['my-app', '--https', '--yes', '--no-install'], { cwd: folder.path, env })
    expect(code).toBe(1)
    expect(stderr).toBe('Could not create a certificate. Install mkcert or openssl, then run:\n  npm run certificate\n')
    expect(manifestOf(folder).scripts['certificate']).toMatch(/^mkcert /)
  })
})

describe('an application with deployment files', () => {
  it('contains the port of its protocol, and no placeholders', async () => {
    await using folder = await tempFolder()
    for (const [name, ...flags] of [['plain'], ['secure', '--https']]) {
      await create([`${name}`, ...flags, '--docker', '--systemd', '--yes', '--no-install'], { cwd: folder.path })
    }
    const read = (path: string): string => readFileSync(folder.join(path), 'utf8')
    expect(read('plain/deploy/plain.socket')).toContain('ListenStream=80\n')
    expect(read('secure/deploy/secure.socket')).toContain('ListenStream=443\n')
    expect(read('secure/deploy/secure.service')).toContain('LoadCredential=key.pem:/opt/secure/certificates/key.pem\n')
    expect(read('plain/deploy/plain.service')).toContain('TimeoutStopSec=15\n')
    expect(read('plain/Dockerfile')).toContain('EXPOSE 8080/tcp 8080/udp\n')
    expect(read('secure/Dockerfile')).toContain('CMD ["node", "src/main.ts"]\n')
    for (const name of ['plain', 'secure']) {
      const grep = spawnSync('grep', ['--recursive', '--exclude-dir=.git', '{{', folder.join(name)], {
        encoding: 'utf8',
      })
      expect(grep.stdout).toBe('')
    }
  })
})
