/* Runs a sketch on this computer. The serial line is standard input and output; analog pins and an MPU-6050 on the I2C
   bus give the numbers in the file that the argument names (int16_t), and with the last one the program ends. */
#include "Arduino.h"
#include "Wire.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

SerialLine Serial;
Bus Wire;

namespace {
std::string line;
size_t at;
std::vector<int16_t> readings;
size_t taken;
unsigned requests;
unsigned long now;

int16_t next_reading()
{
    if (taken == readings.size())
        exit(0);
    return readings[taken++];
}

/* The sensor sleeps after its reset, and then reads 0. */
enum : uint8_t { ADDRESS = 0x68, POWER = 0x6b, ACCELERATIONS = 0x3b };
uint8_t registers[256] = {};
uint8_t addressed, pointer;
bool chosen;
std::vector<uint8_t> answer;
size_t answered;
}

void SerialLine::begin(unsigned long) {}
SerialLine::operator bool() const { return true; }
int SerialLine::available() { return (int)(line.size() - at); }
int SerialLine::peek() { return at < line.size() ? (unsigned char)line[at] : -1; }
int SerialLine::read() { return at < line.size() ? (unsigned char)line[at++] : -1; }

/* The line may be slow. */
size_t SerialLine::readBytes(char *to, size_t count)
{
    size_t arrived = count > 3 ? 3 : count;
    if (arrived > line.size() - at || !requests)
        abort();
    memcpy(to, line.data() + at, arrived);
    at += arrived;
    return arrived;
}

size_t SerialLine::write(uint8_t byte) { return requests += byte == 5, 1; }
size_t SerialLine::write(const uint8_t *from, size_t count) { return fwrite(from, 1, count, stdout); }
size_t SerialLine::print(const char *text) { return (size_t)printf("%s", text); }
size_t SerialLine::print(const __FlashStringHelper *text) { return print(reinterpret_cast<const char *>(text)); }
size_t SerialLine::print(char character) { return (size_t)printf("%c", character); }
size_t SerialLine::print(int value) { return (size_t)printf("%d", value); }
size_t SerialLine::print(unsigned value) { return (size_t)printf("%u", value); }
size_t SerialLine::print(long value) { return (size_t)printf("%ld", value); }
size_t SerialLine::print(unsigned long value) { return (size_t)printf("%lu", value); }
size_t SerialLine::print(double value, int digits) { return (size_t)printf("%.*f", digits, value); }
size_t SerialLine::println() { return (size_t)printf("\n"); }
size_t SerialLine::println(const __FlashStringHelper *text) { return print(text) + println(); }
size_t SerialLine::println(const char *text) { return print(text) + println(); }

unsigned long micros() { return now += 1000; }
unsigned long millis() { return now / 1000; }
void delay(unsigned long milliseconds) { now += 1000 * milliseconds; }
int analogRead(uint8_t pin) { return pin < A0 || pin > A5 ? 0 : next_reading(); }

void Bus::begin() {}
void Bus::beginTransmission(uint8_t address) { addressed = address, chosen = false; }

size_t Bus::write(uint8_t byte)
{
    if (chosen)
        registers[pointer++] = byte;
    else
        pointer = byte, chosen = true;
    return 1;
}

uint8_t Bus::endTransmission(bool) { return addressed == ADDRESS ? 0 : 2; }

uint8_t Bus::requestFrom(uint8_t address, uint8_t bytes)
{
    answer.clear(), answered = 0;
    if (address != ADDRESS)
        return 0;
    bool awake = (registers[POWER] & 0x40) == 0;
    for (uint8_t i = 0; i < bytes; i += 2) {
        uint16_t value = pointer == ACCELERATIONS && awake ? (uint16_t)next_reading() : 0;
        answer.push_back((uint8_t)(value >> 8));
        answer.push_back((uint8_t)value);
    }
    return bytes;
}

int Bus::read() { return answered < answer.size() ? answer[answered++] : -1; }

int main(int count, char **arguments)
{
    registers[POWER] = 0x40;
    for (int c; (c = getchar()) != EOF;)
        line += (char)c;
    if (count > 1) {
        FILE *file = fopen(arguments[1], "rb");
        int16_t reading;
        while (fread(&reading, sizeof reading, 1, file) == 1)
            readings.push_back(reading);
        fclose(file);
    }
    setup();
    while (count > 1 || Serial.available())
        loop();
    if (requests)
        printf("%u rows\n", requests);
    return 0;
}
