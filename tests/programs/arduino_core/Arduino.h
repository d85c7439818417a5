/* What sketches use of Arduino's interface, for tests: host.cpp defines it; for other chips sketches are only compiled. */
#ifndef TEST_ARDUINO_H
#define TEST_ARDUINO_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

class __FlashStringHelper;
#define F(text) (reinterpret_cast<const __FlashStringHelper *>(text))

enum : uint8_t { A0 = 14, A1, A2, A3, A4, A5 };

struct SerialLine {
    void begin(unsigned long baud);
    explicit operator bool() const;
    int available();
    int peek();
    int read();
    size_t readBytes(char *to, size_t count);
    size_t write(uint8_t byte);
    size_t write(const uint8_t *from, size_t count);
    size_t print(const char *text);
    size_t print(const __FlashStringHelper *text);
    size_t print(char character);
    size_t print(int value);
    size_t print(unsigned value);
    size_t print(long value);
    size_t print(unsigned long value);
    size_t print(double value, int digits = 2);
    size_t println();
    size_t println(const char *text);
    size_t println(const __FlashStringHelper *text);
};
extern SerialLine Serial;

unsigned long micros();
unsigned long millis();
void delay(unsigned long milliseconds);
int analogRead(uint8_t pin);

void setup();
void loop();

#endif
