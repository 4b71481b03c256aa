-- Endpoints that serve a certificate are probed at once when its status changes.
-- One that was pending may be right now, and one that was revoked is not any more.
CREATE TRIGGER certificates_status_watch AFTER UPDATE OF status ON certificates
WHEN NEW.status IS NOT OLD.status BEGIN
  UPDATE endpoints SET next_probe = 0, lease_owner = NULL WHERE certificate_id = NEW.id AND next_probe IS NOT NULL;
END;
