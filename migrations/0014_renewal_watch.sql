-- Endpoints that serve a replaced certificate are probed at once, and again at rising intervals until they do not.
CREATE TRIGGER certificates_replaced_watch AFTER UPDATE OF replaced_by_id ON certificates
WHEN NEW.replaced_by_id IS NOT NULL AND NEW.replaced_by_id IS NOT OLD.replaced_by_id BEGIN
  UPDATE endpoints SET next_probe = 0, watch_step = 0, lease_owner = NULL
  WHERE certificate_id = NEW.id AND next_probe IS NOT NULL;
END;
