"""Drives the service through pynetbox: arguments are its address and a token. Exits with 1 at the first surprise."""

import sys

import pynetbox
from pynetbox.core.app import App

address, token = sys.argv[1:]
nb = pynetbox.api(address, token=token)


def check(actual, expected):
    if actual != expected:
        sys.exit(f"Expected {expected!r}, not {actual!r}")


check(nb.version, "4.6")
check(nb.status()["netbox-version"], "4.6.0")
check([one["name"] for one in nb.plugins.installed_plugins()], ["certmgr"])

# Each endpoint: the fields of a new object, and a change of it. References are objects made before.
made = {}


def ref(name):
    return made[name].id


ENDPOINTS = [
    ("extras.tags", lambda: {"name": "Py", "slug": "py"}, {"description": "new"}),
    ("tenancy.tenant_groups", lambda: {"name": "Py", "slug": "py"}, {"description": "new"}),
    (
        "tenancy.tenants",
        lambda: {"name": "Py", "slug": "py", "group": ref("tenancy.tenant_groups"), "tags": [{"slug": "py"}]},
        {"description": "new"},
    ),
    (
        "extras.custom_field_choice_sets",
        lambda: {"name": "Py", "extra_choices": [["a", "Class A"], ["b", "Class B"]]},
        {"description": "new"},
    ),
    (
        "extras.custom_fields",
        lambda: {
            "name": "py_class",
            "type": "select",
            "object_types": ["dcim.device", "dcim.site", "certmgr.certificate"],
            "choice_set": ref("extras.custom_field_choice_sets"),
        },
        {"description": "new"},
    ),
    ("tenancy.contact_groups", lambda: {"name": "Py", "slug": "py"}, {"description": "new"}),
    ("tenancy.contact_roles", lambda: {"name": "Py", "slug": "py"}, {"description": "new"}),
    ("tenancy.contacts", lambda: {"name": "Py", "email": "py@acme.example"}, {"phone": "1"}),
    ("dcim.regions", lambda: {"name": "Py", "slug": "py"}, {"description": "new"}),
    ("dcim.site_groups", lambda: {"name": "Py", "slug": "py"}, {"description": "new"}),
    ("dcim.sites", lambda: {"name": "Py", "slug": "py", "region": ref("dcim.regions")}, {"status": "planned"}),
    ("dcim.locations", lambda: {"name": "Py", "slug": "py", "site": ref("dcim.sites")}, {"description": "new"}),
    ("dcim.manufacturers", lambda: {"name": "Py", "slug": "py"}, {"description": "new"}),
    (
        "dcim.device_types",
        lambda: {"model": "Py", "slug": "py", "manufacturer": ref("dcim.manufacturers")},
        {"part_number": "1"},
    ),
    ("dcim.device_roles", lambda: {"name": "Py", "slug": "py", "color": "00ff00"}, {"color": "ff0000"}),
    ("dcim.platforms", lambda: {"name": "Py", "slug": "py"}, {"description": "new"}),
    ("virtualization.cluster_types", lambda: {"name": "Py", "slug": "py"}, {"description": "new"}),
    (
        "virtualization.clusters",
        lambda: {"name": "Py", "type": ref("virtualization.cluster_types")},
        {"description": "new"},
    ),
    (
        "dcim.devices",
        lambda: {
            "name": "py",
            "role": ref("dcim.device_roles"),
            "device_type": ref("dcim.device_types"),
            "site": ref("dcim.sites"),
            "tenant": ref("tenancy.tenants"),
        },
        {"status": "staged"},
    ),
    (
        "virtualization.virtual_machines",
        lambda: {"name": "py", "cluster": ref("virtualization.clusters")},
        {"status": "failed"},
    ),
    (
        "ipam.services",
        lambda: {
            "name": "py",
            "protocol": "tcp",
            "ports": [443],
            "parent_object_type": "dcim.device",
            "parent_object_id": ref("dcim.devices"),
        },
        {"protocol": "udp"},
    ),
    ("plugins.certmgr.certificate_authorities", lambda: {"name": "Py", "type": "internal"}, {"is_approved": True}),
    (
        "plugins.certmgr.certificates",
        lambda: {
            "common_name": "py.acme.example",
            "serial_number": "5059",
            "issuer": "CN=Py",
            "valid_from": "2026-01-01",
            "valid_to": "2027-01-01",
            "fingerprint_sha256": "5" * 64,
            "algorithm": "rsa",
            "key_size": 2048,
            "tenant": ref("tenancy.tenants"),
        },
        {"status": "revoked"},
    ),
    ("plugins.certmgr.csrs", lambda: {"common_name": "py.acme.example"}, {"notes": "new"}),
    (
        "plugins.certmgr.compliance_policies",
        lambda: {"name": "Py", "policy_type": "san_required"},
        None,
    ),
]


def endpoint(path):
    found = nb
    for name in path.split("."):
        found = getattr(found, name)
    return found


def plain(value):
    return value.value if hasattr(value, "value") else value


for path, fields, change in ENDPOINTS:
    end = endpoint(path)
    before = end.count()
    record = end.create(fields())
    made[path] = record
    check(end.count(), before + 1)
    check(end.get(record.id).display, record.display)
    check(record.id in [one.id for one in end.filter(id=record.id)], True)
    check(record.id in [one.id for one in end.all(limit=2)], True)
    if change is not None:
        check(record.update(change), True)
        for name, value in change.items():
            check(plain(getattr(end.get(record.id), name)), value)
        # Saving what was read sends nothing, as nothing differs.
        check(end.get(record.id).save(), False)

assignment = nb.plugins.certmgr.assignments.create(
    certificate=ref("plugins.certmgr.certificates"),
    assigned_object_type="dcim.device",
    assigned_object_id=ref("dcim.devices"),
)
check(assignment.assigned_object.name, "py")
check(nb.plugins.certmgr.assignments.count(certificate_id=ref("plugins.certmgr.certificates")), 1)

check({one["value"] for one in nb.ipam.services.choices()["protocol"]}, {"tcp", "udp", "sctp"})
check("active" in {one["value"] for one in nb.dcim.devices.choices()["status"]}, True)
check([one.name for one in nb.dcim.devices.filter(role="py", site="py", device_type="py", tenant="py")], ["py"])
check([one.name for one in nb.ipam.services.filter(device_id=ref("dcim.devices"))], ["py"])
check(nb.dcim.devices.get(name="py").device_type.manufacturer.slug, "py")
# This release of pynetbox has no attribute for the application "core".
changed = App(nb, "core").object_changes.filter(changed_object_type="dcim.device", changed_object_id=ref("dcim.devices"))
check([one.action.value for one in changed], ["update", "create"])

# Custom fields: written as a dictionary, read back, sent back as they are, filtered.
host = nb.extras.custom_fields.create(
    name="py_host", type="object", related_object_type="dcim.device", object_types=["dcim.device", "dcim.site"]
)
site = nb.dcim.sites.get(slug="py")
check(site.update({"custom_fields": {"py_class": "b", "py_host": ref("dcim.devices")}}), True)
read = nb.dcim.sites.get(slug="py")
check(read.custom_fields["py_class"], "b")
check(read.custom_fields["py_host"]["name"], "py")
check(nb.dcim.sites.update([{"id": read.id, "custom_fields": dict(read.custom_fields)}])[0].id, read.id)
check(nb.dcim.sites.get(slug="py").custom_fields["py_host"]["id"], ref("dcim.devices"))
check([one.slug for one in nb.dcim.sites.filter(cf_py_class="b", cf_py_host_id=ref("dcim.devices"))], ["py"])
check([one.name for one in nb.dcim.devices.filter(site__cf_py_class="b")], ["py"])
# This release's save() fails on a record whose custom field is an object, of NetBox as well.
nb.dcim.sites.update([{"id": read.id, "custom_fields": {"py_host": None}}])
read = nb.dcim.sites.get(slug="py")
read.custom_fields["py_class"] = "a"
check(read.save(), True)
check(nb.dcim.sites.get(slug="py").custom_fields["py_class"], "a")
try:
    site.update({"custom_fields": {"py_class": "c"}})
    sys.exit("A value that is no choice was accepted")
except pynetbox.RequestError as error:
    check("py_class: Expected one of a, b" in error.error, True)
check("select" in {one["value"] for one in nb.extras.custom_fields.choices()["type"]}, True)
check(host.delete(), True)

# What an answer shows of another object can be sent back as it is, and the message of a change is kept.
device = nb.dcim.devices.get(name="py")
check(nb.dcim.devices.update([{"id": device.id, "site": dict(device.site), "changelog_message": "Moved"}])[0].id, device.id)
check(nb.http_session.get(device.display_url).status_code < 500, True)

# Several at once, and all of them away again, those that refer to others first.
many = nb.extras.tags.create([{"name": f"Many {n}", "slug": f"many-{n}"} for n in range(3)])
for tag in many:
    tag.description = "Many"
check(len(nb.extras.tags.update(many)), 3)
check(nb.extras.tags.delete(many), True)
check(assignment.delete(), True)
for path, _, _ in reversed(ENDPOINTS):
    check(made[path].delete(), True)
    check(endpoint(path).get(made[path].id), None)

print(f"{len(ENDPOINTS) + 1} endpoints")
