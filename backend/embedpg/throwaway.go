package embedpg

// Throwaway are settings for a server whose data nobody will miss: tests, never a bench and never a customer.
func Throwaway() map[string]string {
	return map[string]string{"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "shared_buffers": "256MB", "max_connections": "400"}
}
