/** Runs NetBox's clients, unmodified, against the service: pynetbox, and the Ansible collection netbox.netbox. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { type Listening, startListening } from "../support/listening.ts";

const DIRECTORY = fileURLToPath(new URL(".", import.meta.url));
/** Debian's Python, for which the packages are installed; another one may come first in PATH. */
const PYTHON = "/usr/bin/python3";

/** Runs a command in a separate directory, and returns its output. */
async function run(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  const home = await Deno.makeTempDir();
  try {
    const { success, stdout, stderr } = await new Deno.Command(command, {
      args: [...args],
      cwd: DIRECTORY,
      env: {
        HOME: home,
        ANSIBLE_LOCALHOST_WARNING: "false",
        ANSIBLE_INVENTORY_UNPARSED_WARNING: "false",
        ANSIBLE_STDOUT_CALLBACK: "json",
        ANSIBLE_PYTHON_INTERPRETER: PYTHON,
        PYTHONDONTWRITEBYTECODE: "1",
        LC_ALL: "C.UTF-8",
        ...env,
      },
    }).output();
    const [out, error] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assert(success, `${command} ${args.join(" ")}\n${out}\n${error}`);
    return out as string;
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

async function tokenOf(listening: Listening): Promise<string> {
  const { authorization = "" } = await listening.identify("superuser");
  return authorization.replace(/^\w+ /, "");
}

Deno.test("pynetbox creates, reads, filters, changes and deletes at every endpoint that it may use", async () => {
  await using listening = await startListening();
  const args = [
    `${DIRECTORY}pynetbox_client.py`,
    listening.origin,
    await tokenOf(listening),
  ];
  assert.match(await run(PYTHON, args), /^\d{2} endpoints\n$/);
});

interface Recap {
  readonly plays: readonly {
    readonly tasks: readonly {
      readonly task: { readonly name: string };
      readonly hosts: Readonly<
        Record<
          string,
          { readonly changed?: boolean; readonly skipped?: boolean }
        >
      >;
    }[];
  }[];
}

/** Address of the service, and a token. */
type Connection = Readonly<Record<"address" | "token", string>>;

/** Runs the playbook, and returns the names of the tasks that changed something. */
async function play(connection: Connection, variables: Readonly<Record<string, string>>): Promise<string[]> {
  const all = { ...connection, ...variables };
  const out = await run("/usr/bin/ansible-playbook", [
    "playbook.yml",
    "--extra-vars",
    JSON.stringify(all),
  ]);
  const { plays } = JSON.parse(out.slice(out.indexOf("{"))) as Recap;
  return plays.flatMap(({ tasks }) => tasks).filter(({ hosts }) => hosts.localhost?.changed).map(({ task }) =>
    task.name
  );
}

Deno.test("an Ansible playbook creates, changes nothing when repeated, changes one text, and deletes", async () => {
  await using listening = await startListening();
  const connection = { address: listening.origin, token: await tokenOf(listening) };
  // The collection's module for custom fields writes names of NetBox 3.
  const defined = await fetch(`${connection.address}/api/extras/custom-fields/`, {
    method: "POST",
    headers: { authorization: `Token ${connection.token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "play_rack", type: "text", object_types: ["dcim.device"] }),
  });
  assert.equal(defined.status, 201, await defined.text());
  const created = await play(connection, { state: "present", text: "first" });
  assert.equal(created.length, 11, created.join());
  assert.deepEqual(
    await play(connection, { state: "present", text: "first" }),
    [],
  );
  assert.deepEqual(
    await play(connection, { state: "present", text: "second" }),
    ["tenant", "device", "service"],
  );
  const inventory = JSON.parse(
    await run("/usr/bin/ansible-inventory", [
      "-i",
      "inventory_plugin.yml",
      "--list",
    ], {
      NETBOX_API: connection.address,
      NETBOX_TOKEN: connection.token,
    }),
  );
  assert.deepEqual(inventory["sites_play-site"].hosts, ["play-host"]);
  assert.deepEqual(inventory["device_roles_play-role"].hosts, ["play-host"]);
  assert.deepEqual(inventory["manufacturers_play-maker"].hosts, ["play-host"]);
  assert.deepEqual(inventory["cluster_play-cluster"].hosts, ["play-vm"]);
  assert.equal(inventory._meta.hostvars["play-host"].services[0].name, "https");
  assert.equal(
    (await play(connection, { state: "absent", text: "" })).length,
    11,
  );
});
