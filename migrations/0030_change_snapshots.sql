-- Change records repeat neither the names of fields nor what an update did not change.

-- The names of the fields of a snapshot, as a JSON list; `shape` is a hash of it.
CREATE TABLE snapshot_shapes (
  shape INTEGER PRIMARY KEY,
  names TEXT NOT NULL CHECK (json_type(names) = 'array')
) STRICT;

-- A snapshot in object_changes is the object itself (earlier releases), or a list of its shape and the values. Next to
-- a list, postchange may be an object of the changed values, by "#" and their place in the shape.
CREATE VIEW change_snapshots AS SELECT
  id, time, user_id, username, request_id, action, object_type, object_id, object_repr, message,
  CASE WHEN substr(prechange, 1, 1) = '[' THEN (
    SELECT json_group_object(element.value, json(prechange -> (element.key + 1)))
    FROM snapshot_shapes, json_each(names) AS element WHERE shape = prechange ->> 0
  ) ELSE prechange END AS prechange,
  CASE WHEN substr(postchange, 1, 1) = '[' THEN (
    SELECT json_group_object(element.value, json(postchange -> (element.key + 1)))
    FROM snapshot_shapes, json_each(names) AS element WHERE shape = postchange ->> 0
  ) WHEN substr(postchange, 1, 3) = '{"#' THEN (
    SELECT json_group_object(element.value,
      json(coalesce(postchange -> ('#' || element.key), prechange -> (element.key + 1))))
    FROM snapshot_shapes, json_each(names) AS element WHERE shape = prechange ->> 0
  ) ELSE postchange END AS postchange
FROM object_changes;
